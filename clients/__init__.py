"""The tests of other packages, run with torch and with impl."""
