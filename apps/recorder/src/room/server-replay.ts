/** What others send while a participant joins, the server sends to that participant after the join; it keeps 2 s of it. */
const SERVER_REPLAY_MS = 2000;

/** How much of that replay the recorder relies on: a connection that was deaf for longer may have missed a part. */
export const TRUSTED_REPLAY_MS = SERVER_REPLAY_MS / 2;
