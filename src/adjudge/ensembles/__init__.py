"""Many models in place of one: bagging and boosting, as scikit-learn estimators around any learner."""
