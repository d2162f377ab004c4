/** While a participant joins, the server keeps the last 2 s of what others send. After the join, the participant gets this. */
const SERVER_REPLAY_MS = 2000;

/** How much of that replay the recorder relies on: a connection that was deaf for longer may have missed a part. */
export const TRUSTED_REPLAY_MS = SERVER_REPLAY_MS / 2;
