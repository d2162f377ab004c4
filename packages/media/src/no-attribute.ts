/**
 * An attribute that no participant has. Setting it to an empty value changes nothing, but makes the server announce the
 * participant. No other empty change does.
 */
export const NO_ATTRIBUTE = 'session-service.none';
