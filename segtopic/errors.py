"""What a user can do wrong, each as one clear sentence: what, where, what to do."""


class SegtopicError(Exception):
    """Base of every error that a user can cause; the command line prints it and exits with 2."""


class ConfigError(SegtopicError):
    """A setting is unknown, impossible, or contradicts another one."""


class CorpusError(SegtopicError):
    """A source of text or a prepared corpus cannot be used."""


class DownloadError(SegtopicError):
    """A named corpus could not be fetched or did not match its digest."""


class TrainingError(SegtopicError):
    """Training cannot go on."""


class RunError(SegtopicError):
    """A run folder cannot be used."""


class OutputError(SegtopicError):
    """A file cannot be written, or must not be replaced."""


class WorkerError(SegtopicError):
    """A process or a machine that worked for us is gone, or cannot be had."""
