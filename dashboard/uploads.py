"""Taking files from a browser: none that is larger than an import may be."""

from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler

MAX_UPLOAD = 512 << 20


class LimitedUpload(TemporaryFileUploadHandler):
    """Writes a file to disk piece by piece; of a request that announces too much nothing is kept or read further.

    The web server lets no more come in than a request announces.
    """

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep a piece of the file."""
        announced = self.request.META.get("CONTENT_LENGTH") if self.request else None
        if int(announced or 0) > MAX_UPLOAD:
            raise StopUpload(connection_reset=True)
        super().receive_data_chunk(raw_data, start)
