/**
 * An attribute that no participant has. An empty value deletes it, so nothing changes, but the server announces the
 * participant all the same. It does so for no other change that leaves everything as it is.
 */
export const NO_ATTRIBUTE = 'session-service.none';
