import { expect, test } from 'vitest';
import { begin, fails, PLANTED_KEY, startScriptedModel } from '../../testing/scripted-model.ts';
import { openEndpointFetch } from './endpoint-fetch.ts';

const OPTIONS = { variable: 'STT_BASE_URL', proxies: {} };
const HEADERS = { authorization: `Bearer ${PLANTED_KEY}` };

test('a body is sent whole, and the response has its status, headers and body', async () => {
  await using endpoint = await startScriptedModel(
    fails(429, { error: 'busy' }, { 'retry-after': '2' }),
  );
  using client = openEndpointFetch(OPTIONS);
  const response = await client.fetch(`${endpoint.baseUrl}/models`, {
    method: 'POST',
    headers: { ...HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'ключ' }),
  });
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
  expect(await response.json()).toEqual({ error: 'busy' });
  expect(endpoint.requests).toMatchObject([{ body: { text: 'ключ' }, headers: HEADERS }]);
});

test('a redirect to another host gets no key, and the failure names the variable', async () => {
  await using other = await startScriptedModel(fails(200, {}));
  await using endpoint = await startScriptedModel(fails(307, '', { location: other.baseUrl }));
  using client = openEndpointFetch(OPTIONS);
  await expect(client.fetch(endpoint.baseUrl, { headers: HEADERS })).rejects.toThrow(
    'the endpoint redirects to another host (HTTP 307), which gets no key: check STT_BASE_URL',
  );
  expect(other.requests).toEqual([]);
});

test('a name with a link-local address is refused', async () => {
  using client = openEndpointFetch({
    ...OPTIONS,
    lookup: (_, __, callback) => callback(null, [{ address: 'fe80::1', family: 6 }]),
  });
  await expect(client.fetch('http://speech.example/v1')).rejects.toThrow('link-local');
});

test('an abort ends a response that is being read', async () => {
  await using endpoint = await startScriptedModel((response) => {
    begin(response);
    response.write('first');
  });
  using client = openEndpointFetch(OPTIONS);
  const stop = new AbortController();
  const response = await client.fetch(endpoint.baseUrl, { signal: stop.signal });
  const reading = response.text();
  stop.abort();
  await expect(reading).rejects.toThrow('aborted');
  await expect.poll(() => endpoint.requests[0]?.gone.aborted).toBe(true);
});
