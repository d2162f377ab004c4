"""The local speech server: OpenAI's two endpoints for speech, on loopback."""
