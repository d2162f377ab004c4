import { createClient } from '@session/client';
import { browserRoom } from '@session/client/browser';

const [status, list, form, again] = ['p', 'ol', 'form', '#again'].map((name) =>
  document.querySelector(name),
);

async function askBackend() {
  const answer = await fetch('/token', { method: 'POST' });
  if (!answer.ok) throw new Error('The backend gives no token: its log says why.');
  return await answer.json();
}

const { apiUrl, sessionId, accessToken } = await askBackend();
let token = accessToken;
const client = createClient({
  baseUrl: apiUrl,
  async token({ expired }) {
    if (expired) ({ accessToken: token } = await askBackend());
    return token;
  },
});
const room = browserRoom();
const conversation = client.conversation(sessionId, { room });

async function lookForEnd() {
  const session = await client.sessions.get(sessionId);
  if (session.status !== 'CLOSED') return;
  // A closed session stays closed. The backend gives the next visit a new one.
  status.textContent = 'This conversation is over.';
  form.hidden = true;
  again.hidden = false;
}
again.addEventListener('click', () => location.reload());

conversation.timeline.subscribe(() => {
  const { connection, items } = conversation.timeline.getSnapshot();
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
