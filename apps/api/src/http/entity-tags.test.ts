import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../testing/api.ts';
import { apiTest as test } from '../../testing/api-test.ts';

const KINDS = [
  ['env-templates', { variables: { LLM_API_KEY: 'key' } }],
  ['plan-templates', { steps: [{ title: 'Name', instructions: 'Ask for it.' }] }],
  ['agent-templates', { role: 'light-agent' }],
] as const;

test.for(KINDS)(
  '%s: a change with the tag of an older version does nothing',
  async ([kind, content], { api, ana }) => {
    const { url, created, change } = await template(api, ana, kind, content);
    expect([created.headers.etag, created.json().version]).toEqual(['"1"', 1]);
    expect((await api.inject(ana, { url })).headers.etag).toBe('"1"');
    const changed = await change('"1"', 'second');
    expect([changed.statusCode, changed.headers.etag, changed.json().name]).toEqual([
      200,
      '"2"',
      'second',
    ]);
    for (const tag of ['"1"', '"3"', '2', '', '"1", W/"3"']) {
      const refused = await change(tag, 'third');
      expect([tag, refused.statusCode, refused.json()]).toMatchObject([
        tag,
        412,
        {
          code: 'changed_meanwhile',
          detail:
            'Nothing was changed. Read the object again; if your change still applies, send it with the new ETag as If-Match.',
        },
      ]);
    }
    const found = await api.inject(ana, { url });
    expect([found.headers.etag, found.json().name]).toEqual(['"2"', 'second']);
    // A proxy that compresses makes a tag weak.
    const tags = ['W/"2"', '"9", "3"', '*', undefined];
    for (const [index, tag] of tags.entries()) {
      expect([tag, (await change(tag, `again ${index}`)).headers.etag]).toEqual([
        tag,
        `"${index + 3}"`,
      ]);
    }
    await api.inject(ana, { method: 'DELETE', url });
    expect((await change('"6"', 'fourth')).statusCode).toBe(404);
  },
);

test.for(KINDS)(
  '%s: of several changes at once with one tag a single one wins',
  async ([kind, content], { api, ana }) => {
    const { url, change } = await template(api, ana, kind, content);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(names.map((name) => change('"1"', name)));
    const counts = Map.groupBy(answers, ({ statusCode }) => statusCode);
    expect([counts.get(200)?.length, counts.get(412)?.length]).toEqual([1, 4]);
    expect((await api.inject(ana, { url })).json()).toEqual(counts.get(200)?.[0]?.json());
  },
);

test('an environment template that another replaces as the default has a new tag', async ({
  api,
  ana,
}) => {
  const [kind, content] = KINDS[0];
  const projectId = await api.createProject(ana);
  const first = await template(api, ana, kind, { ...content, isDefault: true }, projectId);
  await template(api, ana, kind, { ...content, isDefault: true }, projectId);
  expect((await first.change('"1"', 'late')).statusCode).toBe(412);
});

let templates = 0;

async function template(
  api: TestApi,
  ana: TestUser,
  kind: string,
  content: object,
  ofProject?: string,
) {
  const projectId = ofProject ?? (await api.createProject(ana));
  templates += 1;
  const payload = { name: `template ${templates}`, ...content };
  const request = { method: 'POST', url: `/projects/${projectId}/${kind}`, payload } as const;
  const created = await api.inject(ana, request);
  const url = String(created.headers.location);
  const change = async (tag: string | undefined, name: string) =>
    await api.inject(ana, {
      method: 'PATCH',
      url,
      payload: { name },
      headers: tag === undefined ? {} : { 'if-match': tag },
    });
  return { url, created, change };
}
