"""Files that go in and out: uploads and their quotas, and deliveries made for download."""
