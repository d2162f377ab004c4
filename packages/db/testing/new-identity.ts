import { v7 as uuidv7 } from 'uuid';

/** Returns a person of an identity provider, for a user of this id. */
export function newIdentity() {
  const id = uuidv7();
  return {
    id,
    identity: `https://login.example.org ${id}`,
    email: `${id}@example.org`,
    name: 'Ana',
  };
}
