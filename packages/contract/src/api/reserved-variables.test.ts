import { expect, test } from 'vitest';
import { EnvVariables } from './env-template.ts';
import { isReservedVariable } from './reserved-variables.ts';

/** Names with an effect on Node, on OpenSSL, on the C library and its resolver, or on the WebRTC library. */
const RUNTIME = [
  'NODE_OPTIONS',
  'NODE_V8_COVERAGE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_CHANNEL_FD',
  'NODE_COMPILE_CACHE',
  'OPENSSL_CONF',
  'SSL_CERT_FILE',
  'SSLKEYLOGFILE',
  'LD_PRELOAD',
  'DYLD_INSERT_LIBRARIES',
  'GLIBC_TUNABLES',
  'GCONV_PATH',
  'MALLOC_CHECK_',
  'UV_THREADPOOL_SIZE',
  'RUST_LOG',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'RES_OPTIONS',
  'HOSTALIASES',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
];

test.each(RUNTIME)('%s is reserved, in small letters too, and no template can set it', (name) => {
  expect([isReservedVariable(name), isReservedVariable(name.toLowerCase())]).toEqual([true, true]);
  expect(EnvVariables.safeParse({ LLM_API_KEY: 'k', [name]: 'v' }).success).toBe(false);
});

test.each(['LLM_API_KEY', 'STT_PROVIDER', 'PATHS', 'MY_TMPDIR', 'PYTHONPATH', 'PROXY', 'TZ'])(
  '%s is free: a program of its own may need it',
  (name) => {
    expect(isReservedVariable(name)).toBe(false);
    expect(EnvVariables.safeParse({ LLM_API_KEY: 'k', [name]: 'v' }).success).toBe(true);
  },
);
