import { createClient } from '@session/client';
import { browserRoom } from '@session/client/browser';

const [status, list, form, again] = ['p', 'ol', 'form', '#again'].map((name) =>
  document.querySelector(name),
);

/** `POST` begins or continues a conversation. `PUT` renews the token of this page, and starts nothing. */
async function askBackend(method) {
  const answer = await fetch('/token', { method });
  if (answer.ok) return await answer.json();
  // Without a token the conversation ends. After an error the SDK asks again.
  if (method === 'PUT' && answer.status === 404) return { accessToken: null };
  status.textContent = 'The backend sent no token. Its log has the reason.';
  throw new Error(status.textContent);
}

const { apiUrl, sessionId, accessToken } = await askBackend('POST');
let token = accessToken;
const client = createClient({
  baseUrl: apiUrl,
  async token({ expired }) {
    if (expired) ({ accessToken: token } = await askBackend('PUT'));
    return token;
  },
});
const room = browserRoom();
const conversation = client.conversation(sessionId, { room });

async function lookForEnd() {
  const session = await client.sessions.get(sessionId);
  if (session.status === 'CLOSED') showEnd();
}
function showEnd() {
  // A closed session stays closed. The backend creates a new one for the next visit.
  status.textContent = 'This conversation is over.';
  form.hidden = true;
  again.hidden = false;
}
again.addEventListener('click', () => location.reload());

conversation.timeline.subscribe(() => {
  const { connection, error, items } = conversation.timeline.getSnapshot();
  if (error) showEnd();
  if (again.hidden) status.textContent = connection;
  const isOutside = connection === 'live' && room.getSnapshot().participants.length === 0;
  if (isOutside) void lookForEnd();
  list.replaceChildren(
    ...items.map(({ content, participant, state }) => {
      const row = document.createElement('li');
      row.dataset.state = state;
      row.textContent = `${participant?.name ?? ''}: ${content}`;
      return row;
    }),
  );
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void conversation.say(new FormData(form).get('content'));
  form.reset();
});
await conversation.open();
