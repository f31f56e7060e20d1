"""Machines of others: registering them here, handing jobs out to them, and being one for another installation."""
