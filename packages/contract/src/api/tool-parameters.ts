import * as z from 'zod';
import { ARGUMENT } from './tool-placeholders.ts';

/** How deep parameters may be nested: the deepest is a property of an object in an object. */
const LEVELS = 3;
const MAX_PROPERTIES = 50;
const MAX_CHOICES = 100;

/**
 * A parameter of a tool, in a small subset of JSON Schema without `pattern`. Agents check the arguments of calls
 * against it.
 */
export interface ToolParameter {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
  readonly description?: string | undefined;
  readonly enum?: readonly (string | number)[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly properties?: Readonly<Record<string, ToolParameter>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: ToolParameter | undefined;
}

const Description = z.string().trim().max(500).optional();
/** Begins with a letter, so no name is `__proto__`. */
const PropertyName = z.string().regex(new RegExp(`^${ARGUMENT}$`));
const Required = z.array(z.string()).max(MAX_PROPERTIES).optional();

const Words = z.strictObject({
  type: z.literal('string'),
  description: Description,
  enum: z.array(z.string().max(200)).min(1).max(MAX_CHOICES).optional(),
  maxLength: z.int().min(1).max(8192).optional(),
});
const Amount = z.strictObject({
  type: z.enum(['number', 'integer']),
  description: Description,
  enum: z.array(z.number()).min(1).max(MAX_CHOICES).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});
const Truth = z.strictObject({ type: z.literal('boolean'), description: Description });

function parameter(level: number): z.ZodType<ToolParameter> {
  if (level === LEVELS) return z.discriminatedUnion('type', [Words, Amount, Truth]);
  const inner = parameter(level + 1);
  return z.discriminatedUnion('type', [
    Words,
    Amount,
    Truth,
    z.strictObject({ type: z.literal('array'), description: Description, items: inner }),
    objectOf(inner, { description: Description }).superRefine(checkRequired),
  ]);
}

function objectOf<Shape extends z.ZodRawShape>(inner: z.ZodType<ToolParameter>, others: Shape) {
  return z.strictObject({
    type: z.literal('object'),
    ...others,
    properties: z
      .record(PropertyName, inner, {
        error: ({ code }) =>
          code === 'invalid_key'
            ? 'a name has 1 to 64 characters of A-Z, a-z, 0-9, _ and -, and begins with a letter'
            : undefined,
      })
      .refine((properties) => Object.keys(properties).length <= MAX_PROPERTIES, {
        error: `an object has at most ${MAX_PROPERTIES} properties`,
      }),
    required: Required,
  });
}

function checkRequired(
  {
    properties,
    required = [],
  }: { properties: Record<string, unknown>; required?: string[] | undefined },
  context: z.RefinementCtx,
): void {
  for (const [index, name] of required.entries()) {
    const isFirst = required.indexOf(name) === index;
    if (isFirst && Object.hasOwn(properties, name)) continue;
    const message = 'each name must be one of properties, and appear only once';
    context.addIssue({ code: 'custom', path: ['required', index], message });
  }
}

/** The arguments of a tool: an object, because models send them as an object. */
export const ToolParameters = objectOf(parameter(1), {}).superRefine(checkRequired);
export type ToolParameters = z.infer<typeof ToolParameters>;
