import { bytea } from '../columns/bytea.ts';
import { pgTable, text, uuid } from '../columns/drizzle.ts';
import { agents } from './agents.ts';

/** The values with which an agent was started, under the key `key_id`: they are masked in its output until it stops. */
export const agentSecrets = pgTable('agent_secrets', {
  agentId: uuid('agent_id')
    .primaryKey()
    .references(() => agents.id, { onDelete: 'cascade' }),
  keyId: text('key_id').notNull(),
  nonce: bytea('nonce').notNull(),
  ciphertext: bytea('ciphertext').notNull(),
});
