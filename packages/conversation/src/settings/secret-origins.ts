import { Variables } from './variables.ts';

type TemplateValues = Readonly<Record<string, string | undefined>>;
type AddressVariable = Extract<keyof typeof Variables.shape, `${string}_BASE_URL`>;

/**
 * Returns the origin to which conversational agents send each secret variable of an environment template: that of its
 * endpoint, or of the endpoint's default. It is undefined where the address is not valid.
 */
export function secretOrigins(variables: TemplateValues): Map<string, string | undefined> {
  const ofModel = originAt('LLM_BASE_URL', variables);
  // As in `settingsOf`, speech uses the endpoint of the model unless it has its own.
  const speechOrigin = (name: AddressVariable) =>
    variables[name] ? originAt(name, variables) : ofModel;
  return new Map([
    ['LLM_API_KEY', ofModel],
    ['LLM_EXTRA_BODY', ofModel],
    ['LLM_FALLBACK_API_KEY', originAt('LLM_FALLBACK_BASE_URL', variables)],
    ['STT_API_KEY', speechOrigin('STT_BASE_URL')],
    ['TTS_API_KEY', speechOrigin('TTS_BASE_URL')],
  ]);
}

function originAt(name: AddressVariable, variables: TemplateValues): string | undefined {
  const { data: url } = Variables.shape[name].safeParse(variables[name] || undefined);
  return url && new URL(url).origin;
}
