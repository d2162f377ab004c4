import { bytea } from '../columns/bytea.ts';
import { pgTable, text, uuid } from '../columns/drizzle.ts';
import { agents } from './agents.ts';

export const agentSecrets = pgTable('agent_secrets', {
  agentId: uuid('agent_id')
    .primaryKey()
    .references(() => agents.id, { onDelete: 'cascade' }),
  keyId: text('key_id').notNull(),
  nonce: bytea('nonce').notNull(),
  ciphertext: bytea('ciphertext').notNull(),
});
