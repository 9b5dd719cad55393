"""Datasets at addresses (`s3://`, `gs://`, `https://`): read where they are, by ranges of bytes.

`addresses` says what an address is, `files` which may be asked and how they are read, `web` and `buckets` ask,
`ranges` keeps what was read and what a question may read, and `copies` are for those who cannot read ranges."""
