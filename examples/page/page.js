import { createClient } from '@session/client';
import { browserRoom } from '@session/client/browser';

const [status, list, form] = ['p', 'ol', 'form'].map((name) => document.querySelector(name));

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
const conversation = client.conversation(sessionId, { room: browserRoom() });
conversation.timeline.subscribe(() => {
  const { connection, items } = conversation.timeline.getSnapshot();
  status.textContent = connection;
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
