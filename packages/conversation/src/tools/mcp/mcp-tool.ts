import { createHash } from 'node:crypto';
import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { type Fields, isFields } from '@session/contract/room';
import type { Mask } from '@session/kit/mask';
import { cutText, sizeInBytes } from '../../clean-text.ts';
import type { ToolDefinition } from '../../plan/plan-tools.ts';
import { sortedFields } from '../earlier-calls.ts';

const MAX_DESCRIPTION_LENGTH = 1024;
const MAX_TOOL_BYTES = 16_384;
const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 8;

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolDefinition['parameters'];
  readonly isReadOnly: boolean;
  /** A hash of everything that a model or an agent reads about the tool. */
  readonly digest: string;
  readonly sizeBytes: number;
}

/**
 * Returns a server's tool in the form in which it is offered; undefined if it is too large or too deep, or contains one of
 * our secrets. Its text goes to the model, so a long description is cut. No part of its schema is executed.
 */
export function offeredTool(tool: Tool, mask: Mask): OfferedTool | undefined {
  const { name, description = '', inputSchema, annotations } = tool;
  try {
    const { $schema: _dialect, ...schema } = inputSchema;
    const parameters = { properties: {}, ...schema, type: 'object' as const };
    const shown = { name, description: cutText(description, MAX_DESCRIPTION_LENGTH), parameters };
    const json = JSON.stringify(shown);
    const sizeBytes = sizeInBytes(json);
    if (sizeBytes > MAX_TOOL_BYTES || mask.spansIn(json).length > 0) return undefined;
    const isReadOnly = annotations?.readOnlyHint === true;
    const whole = { name, description, inputSchema, isReadOnly };
    return { ...shown, isReadOnly, digest: digestOf(whole), sizeBytes };
  } catch (error) {
    // `JSON.stringify` throws this for a schema with a hundred thousand levels.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Returns the name by which a model calls a server's tool: providers allow letters, digits, `_` and `-`, 64 in all. A name
 * that is too long, or `taken` by another tool, ends with a hash.
 */
export function mcpToolName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${server}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
  if (plain.length <= MAX_NAME_LENGTH && !taken.has(plain)) return plain;
  const hash = sha256(tool).slice(0, HASH_LENGTH);
  return `${plain.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

export function textOfResult({ content, structuredContent }: CallToolResult): string {
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'resource' && 'text' in part.resource) return part.resource.text;
    return `[${part.type}, left out]`;
  });
  const hasText = content.some(({ type }) => type === 'text');
  if (!hasText && isFields(structuredContent)) parts.push(jsonOf(structuredContent));
  return parts.join('\n');
}

function jsonOf(value: Fields): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '[a value that is too deep]';
  }
}

function digestOf(tool: Fields): string {
  return `sha256:${sha256(JSON.stringify(sortedFields(tool)))}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
