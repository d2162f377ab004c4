export const SERVER_ERRORS = {
  internal: {
    status: 500,
    title: 'Internal error',
    detail: 'This is an error of the service. Try again; if it persists, report the requestId.',
  },
  unavailable: {
    status: 503,
    title: 'A dependency is unavailable',
    detail:
      'Try again in a moment. Where the operation takes an Idempotency-Key, a retry with the same key creates nothing twice. Elsewhere, look first whether a change was made.',
  },
  overloaded: {
    status: 503,
    title: 'The service is overloaded',
    detail: 'Send the same request again in a moment.',
  },
  search_too_broad: {
    status: 503,
    title: 'The search takes too long',
    detail:
      'Search for a rarer word, in one session (`sessionId`), or in a shorter time (`from`, `to`).',
  },
  media_unavailable: {
    status: 503,
    title: 'The media server is unavailable',
    detail: 'Send the same request again in a moment.',
  },
  provider_unavailable: {
    status: 503,
    title: 'The identity provider is unavailable',
    detail: 'Begin the sign-in again in a moment.',
  },
} as const;
