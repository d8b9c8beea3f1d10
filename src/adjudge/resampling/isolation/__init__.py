"""Runs that outlive their learners: a process per task, jobs and answers as files, checkpoints and locks."""
