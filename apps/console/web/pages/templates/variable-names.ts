const NAME_RULE =
  'A name has 1 to 64 characters of A-Z, 0-9 and _, and does not begin with a digit.';
const NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;

// The API's rule, so that a name is refused while it is typed. A test compares it with the OpenAPI document.
const PREFIXES =
  'MEDIA_|AGENT_|KUBERNETES_|NODE_|OPENSSL_|SSL|LD_|DYLD_|GLIBC_|MALLOC_|UV_|RUST_|OTEL_';
const NAMES =
  'SESSION_ID|PROJECT_ID|PLAN|CONVERSATION|PATH|HOME|TMPDIR|GCONV_PATH|RES_OPTIONS|HOSTALIASES';
/** The source of a pattern that matches every reserved name. */
export const RESERVED_PATTERN = `(?:(?:${PREFIXES}).*|.*_PROXY|${NAMES})`;
const RESERVED = new RegExp(`^${RESERVED_PATTERN}$`, 'is');

const RESERVED_NAMES = [
  ...PREFIXES.split('|').map((prefix) => `${prefix}*`),
  '*_PROXY',
  ...NAMES.split('|'),
].join(', ');

/** Returns why `name` cannot be a variable's, in the API's words; null when it can. */
export function nameFault(name: string): string | null {
  if (RESERVED.test(name)) return `This name is reserved, as are ${RESERVED_NAMES}.`;
  return NAME.test(name) ? null : NAME_RULE;
}
