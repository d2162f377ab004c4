/** The limit of open invitations. More are a sign of addresses that nobody reads. */
export const INVITATIONS_PER_PROJECT = 100;

export const INVITATIONS_PER_MINUTE = 20;
