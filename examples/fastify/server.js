// The backend of a product: its users talk with an agent in their own page, and have no account of the service.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import staticFiles from '@fastify/static';
import Fastify from 'fastify';

const { API_URL = 'http://127.0.0.1:3000', API_KEY, PORT = '8000' } = process.env;
if (!API_KEY) {
  process.stderr.write(
    'Set API_KEY. The console creates a key in a project, under API keys; it begins with ck_.\n',
  );
  process.exit(1);
}

async function call(method, address, body) {
  const answer = await fetch(`${API_URL}${address}`, {
    method,
    headers: {
      authorization: `Bearer ${API_KEY}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const result = await answer.json();
  if (answer.ok) return result;
  throw Object.assign(new Error(result.detail), { code: result.code });
}

// A key opens one project.
const [project] = (await call('GET', '/projects')).items;

const app = Fastify({ logger: { level: 'error' } });
await app.register(staticFiles, { root: path.join(import.meta.dirname, '../page') });

// Your own sign-in identifies the user. Here, a cookie does.
function visitorOf(request) {
  return /\bvisitor=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1];
}

async function tokenFor(visitor, sessionId) {
  const participant = { id: visitor, name: 'Visitor' };
  return (await call('POST', `/sessions/${sessionId}/token`, { participant })).accessToken;
}

app.post('/token', async (request, reply) => {
  const visitor = visitorOf(request) ?? randomUUID();
  reply.header(
    'set-cookie',
    `visitor=${visitor}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000`,
  );
  // Repeated requests with the same externalId return the same session.
  const wanted = { name: 'A visitor', externalId: visitor };
  let session = await call('POST', `/projects/${project.id}/sessions`, wanted);
  if (session.status === 'CLOSED') {
    // A closed session stays closed, so a new session gets its externalId.
    await call('PATCH', `/sessions/${session.id}`, { externalId: null });
    session = await call('POST', `/projects/${project.id}/sessions`, wanted);
  }
  await call('POST', `/sessions/${session.id}/agents`, { role: 'echo-agent' }).catch((error) => {
    if (error.code !== 'agent_already_running') throw error;
  });
  const accessToken = await tokenFor(visitor, session.id);
  return { apiUrl: API_URL, sessionId: session.id, accessToken };
});

// Renews the token of an open page. It starts no agent and no session: the visitor may have left the page open.
app.put('/token', async (request, reply) => {
  const visitor = visitorOf(request);
  if (!visitor) return reply.code(404).send({});
  const query = new URLSearchParams({ externalId: visitor, status: 'ACTIVE' });
  const [session] = (await call('GET', `/projects/${project.id}/sessions?${query}`)).items;
  if (!session) return reply.code(404).send({});
  return { accessToken: await tokenFor(visitor, session.id) };
});

const address = await app.listen({ host: '127.0.0.1', port: Number(PORT) });
process.stdout.write(`Open ${address}\n`);
