import { v7 as uuidv7 } from 'uuid';

/** Returns a new user who signs in with an identity provider. */
export function newIdentity() {
  const id = uuidv7();
  return {
    id,
    identity: `https://login.example.org ${id}`,
    email: `${id}@example.org`,
    name: 'Ana',
  };
}
