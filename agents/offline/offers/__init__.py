"""Requests to click on in place of one that was not carried out."""
