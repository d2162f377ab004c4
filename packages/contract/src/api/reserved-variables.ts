// Variables that the platform sets, or that change a program's runtime instead of the program.
const PREFIXES = [
  'MEDIA_',
  'AGENT_',
  'KUBERNETES_',
  'NODE_',
  'OPENSSL_',
  'SSL',
  'LD_',
  'DYLD_',
  'GLIBC_',
  'MALLOC_',
  'UV_',
  'RUST_',
  'OTEL_',
];
const SUFFIX = '_PROXY';
const NAMES = [
  'SESSION_ID',
  'PROJECT_ID',
  'PLAN',
  'CONVERSATION',
  'PATH',
  'HOME',
  'TMPDIR',
  'GCONV_PATH',
  'RES_OPTIONS',
  'HOSTALIASES',
];

export const RESERVED_PATTERN = `^(?:(?:${PREFIXES.join('|')}).*|.*${SUFFIX}|${NAMES.join('|')})$`;

export const RESERVED_NAMES = [
  ...PREFIXES.map((prefix) => `${prefix}*`),
  `*${SUFFIX}`,
  ...NAMES,
].join(', ');

const RESERVED = new RegExp(RESERVED_PATTERN, 'is');

/**
 * Returns whether environment templates must not set `name`, whatever its case, because the platform sets it or because
 * it would change the runtime.
 */
export function isReservedVariable(name: string): boolean {
  return RESERVED.test(name);
}
