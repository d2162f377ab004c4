/** The server keeps the last 2 s of what participants send, and repeats it to participants who join meanwhile. */
export const SERVER_REPLAY_MS = 2000;

/** How much of that replay the recorder relies on: a connection that was deaf for longer may have missed a part. */
export const TRUSTED_REPLAY_MS = SERVER_REPLAY_MS / 2;
