"""Statistics on plain arrays: numpy and scipy in, numbers out; nothing of predictions or pages."""
