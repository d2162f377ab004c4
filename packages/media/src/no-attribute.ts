/** Set to an empty value, it changes nothing, but makes the server announce the participant. */
export const NO_ATTRIBUTE = 'session-service.none';
