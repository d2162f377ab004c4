import { Id } from '@session/contract';
import * as z from 'zod';

export const projectParams = z.object({ id: Id });

export const projectBody = z
  .strictObject({ name: z.string().trim().min(1).max(100) })
  .meta({ examples: [{ name: 'First' }] });
