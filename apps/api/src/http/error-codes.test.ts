import { ERROR_CODES } from '@session/kit';
import { expect, test } from 'vitest';

const HEAD = `# Errors

Every failure except that of \`GET /health\` is a problem (RFC 9457, \`application/problem+json\`): \`type\` (\`urn:problem:<code>\`), \`title\`, \`status\`, \`detail\`
(what to do next), \`code\`, \`requestId\`, and for invalid input \`errors\`, which lists each field. Branch on \`code\`: it
never changes its meaning. Answers with 429 and 503, and \`idempotency_in_progress\`, carry \`Retry-After\`. There may be more codes later.

| status | code | title | what to do, unless \`detail\` says more |
|---|---|---|---|
`;

test('docs/errors.md lists every code (to write it again: npm test -- -u)', async () => {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, title, detail }]) => `| ${status} | \`${code}\` | ${title} | ${detail} |\n`,
  );
  await expect(HEAD + rows.join('')).toMatchFileSnapshot('../../../../docs/errors.md');
});
