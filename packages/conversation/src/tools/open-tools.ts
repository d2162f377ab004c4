import type { ToolBox, ToolBoxOptions } from './tool-box.ts';
import type { ToolSettings } from './tool-settings.ts';

/** Opens the tools of an agent. Modules that only tools need are loaded only if there are any. */
export async function openTools(
  settings: ToolSettings | undefined,
  options: ToolBoxOptions = {},
): Promise<ToolBox | undefined> {
  if (!settings) return undefined;
  const loaded = await import('./tool-box.ts');
  return await loaded.ToolBox.open(settings, options);
}
