import { SERVER_ERRORS } from './server-errors.ts';

/**
 * Every code of a problem (RFC 9457), with its status, title and default `detail`: what to do next. A code is never
 * renamed. The first code of a status is the general one (`codeOfStatus`).
 */
export const ERROR_CODES = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    detail: 'Check the request against the documentation of this operation.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Unknown cursor',
    detail: 'Send the nextCursor of the previous page, or no cursor to start from the beginning.',
  },
  invalid_webhook_url: {
    status: 400,
    title: 'Nothing may be sent to this URL',
    detail: 'Send the https URL of a server that the Internet reaches.',
  },
  unknown_role: {
    status: 400,
    title: 'Unknown agent role',
    detail: 'Use one of the roles that GET /agent-types lists.',
  },
  env_template_required: {
    status: 400,
    title: 'An environment template is required',
    detail: 'Create an environment template in the project, and send its id as envTemplateId.',
  },
  missing_variable: {
    status: 400,
    title: 'A variable of the agent template has no value',
    detail: 'Send a value for each required variable of the agent template in `variables`.',
  },
  unauthorized: {
    status: 401,
    title: 'Missing or invalid token',
    detail: 'Log in again: POST /auth/login returns a new token.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Wrong e-mail address or password',
    detail: 'Check both, or sign up. For security, the API does not say which of the two is wrong.',
  },
  sign_in_failed: {
    status: 401,
    title: 'Sign-in with the identity provider failed',
    detail: 'Begin the sign-in again: it must be finished within ten minutes, and once.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    detail: 'Ask an owner of the project for a higher role.',
  },
  people_only: {
    status: 403,
    title: 'Not for API keys',
    detail: 'Send the token of a person: POST /auth/login returns one.',
  },
  wrong_password: {
    status: 403,
    title: 'Wrong password',
    detail: 'Send the current password of your account.',
  },
  passwords_off: {
    status: 403,
    title: 'Passwords are switched off',
    detail: 'Sign in with the identity provider: start with POST /auth/provider/start.',
  },
  no_password: {
    status: 403,
    title: 'The account has no password',
    detail: 'The identity provider with which you sign in keeps your password and your address.',
  },
  email_unverified: {
    status: 403,
    title: 'The e-mail address is not verified',
    detail: 'Have your e-mail address verified at the identity provider, then sign in again.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    detail: 'Check the id: it does not exist, or you are not a member of its project.',
  },
  user_not_found: {
    status: 404,
    title: 'User not found',
    detail:
      'No account has this e-mail address: invite the person with POST /projects/{id}/invitations.',
  },
  link_invalid: {
    status: 404,
    title: 'The link is not valid',
    detail: 'The link is wrong, used, replaced or expired: ask for a new one.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'Use one of the methods that the Allow header lists.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    detail: 'Send the whole request within 30 seconds.',
  },
  conflict: {
    status: 409,
    title: 'Conflict with the current state',
    detail: 'Read the current state, then retry if the change still applies.',
  },
  email_taken: {
    status: 409,
    title: 'The e-mail address already has an account',
    detail: 'Log in instead, or sign up with another address.',
  },
  account_linked: {
    status: 409,
    title: 'The account with this e-mail address belongs to another identity',
    detail: 'Ask the operator of this service which of the two identities is yours.',
  },
  already_member: {
    status: 409,
    title: 'The user is already a member',
    detail: 'To change the role of a member, send a PATCH request for the member.',
  },
  last_owner: {
    status: 409,
    title: 'A project needs an owner',
    detail: 'Make another member an OWNER first, who can then remove you or change your role.',
  },
  project_account: {
    status: 409,
    title: 'The project counts for your account',
    detail:
      'Ask another OWNER to remove you or to change your role: the project then counts for their account. Or delete the project.',
  },
  name_taken: {
    status: 409,
    title: 'The name is already in use',
    detail: 'Choose another name.',
  },
  external_id_taken: {
    status: 409,
    title: 'The external id belongs to another session',
    detail:
      'Find that session with GET /projects/{projectId}/sessions?externalId=…, or send another id.',
  },
  session_closed: {
    status: 409,
    title: 'The session is closed',
    detail: 'A closed session cannot be reopened: create a new session.',
  },
  message_id_taken: {
    status: 409,
    title: 'The id belongs to another message',
    detail: 'Send this message with another id, or without an id.',
  },
  conversation_begun: {
    status: 409,
    title: 'The session has messages that were not imported',
    detail:
      'Import into a new session, before anybody joins it, writes in it, or an agent starts there.',
  },
  import_order: {
    status: 409,
    title: 'The session has later messages',
    detail: 'Import the messages of a conversation in the order in which they were said.',
  },
  agent_already_running: {
    status: 409,
    title: 'An agent with this role and agent template is already running in the session',
    detail: 'Use the running agent, or stop it first.',
  },
  project_capacity: {
    status: 409,
    title: 'The account has reached its limit of projects',
    detail: 'Delete a project of the account first.',
  },
  key_capacity: {
    status: 409,
    title: 'The project has reached its limit of API keys',
    detail: 'Delete an API key of the project first.',
  },
  invitation_capacity: {
    status: 409,
    title: 'The project has reached its limit of open invitations',
    detail: 'Delete an invitation of the project first.',
  },
  delivery_outdated: {
    status: 409,
    title: 'The message of the delivery has changed since',
    detail:
      'The message was completed or deleted. Nothing needs to be sent again: a newer version gets a delivery of its own if the webhook has its type.',
  },
  webhook_capacity: {
    status: 409,
    title: 'The project has reached its limit of webhooks',
    detail: 'Delete a webhook of the project first.',
  },
  session_capacity: {
    status: 409,
    title: 'The account has reached its limit of ACTIVE sessions',
    detail: 'Close a session of the account first.',
  },
  agent_capacity: {
    status: 409,
    title: 'The account has reached its limit of running agents',
    detail: 'Stop an agent of the account first.',
  },
  service_agent_capacity: {
    status: 409,
    title: 'The service has reached its limit of running agents',
    detail: 'Start the agent when another one has stopped.',
  },
  template_capacity: {
    status: 409,
    title: 'The account has reached its limit of templates',
    detail: 'Delete a template of the account first.',
  },
  template_in_use: {
    status: 409,
    title: 'Agents use the template',
    detail: 'Stop the agents that were started with this template first.',
  },
  template_bytes: {
    status: 409,
    title: 'The templates of the account have reached their limit of bytes',
    detail: 'Delete or shorten a template of the account first.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'The key belongs to another request',
    detail: 'Send this request with a new Idempotency-Key.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this key is still in progress',
    detail: 'Send the same request again in a moment.',
  },
  changed_meanwhile: {
    status: 412,
    title: 'Changed meanwhile',
    detail:
      'Nothing was changed. Read the object again; if your change still applies, send it with the new ETag as If-Match.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    detail:
      'A body may have at most 1 MiB, that of an import 4 MiB, and each at most 20,000 fields and items of lists (else `invalid_request`): send less data at a time.',
  },
  uri_too_long: {
    status: 414,
    title: 'The URL is too long',
    detail: 'Check the ids in the URL: no valid id is that long.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'Send the body as JSON, with the header `content-type: application/json`.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    detail:
      'Wait for the number of seconds in the Retry-After header, then send the request again.',
  },
  message_rate: {
    status: 429,
    title: 'Too many messages of one sender',
    detail:
      'The message was not stored. Wait for the number of seconds in the Retry-After header, then send it again.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    detail: 'All headers together may have at most 16 KiB: send fewer or shorter headers.',
  },
  ...SERVER_ERRORS,
} as const satisfies Record<string, { status: number; title: string; detail: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
