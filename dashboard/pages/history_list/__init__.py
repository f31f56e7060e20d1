"""Systems of many histories: their list and their overview."""
