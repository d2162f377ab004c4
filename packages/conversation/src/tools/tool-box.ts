import { createMask } from '@session/kit/mask';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import type { AgentTool } from './agent-tool.ts';
import { httpTool } from './http/http-tools.ts';
import { type LinkOptions, McpLink, type ToolFault } from './mcp/mcp-link.ts';
import { ToolExchange } from './tool-exchange.ts';
import type { ToolSettings } from './tool-settings.ts';

export type ToolBoxOptions = LinkOptions;

/** For the tools of all MCP servers together, because each request to the model contains their definitions. */
const MAX_DEFINITIONS_BYTES = 16_384;

interface Parts {
  readonly http: readonly AgentTool[];
  readonly links: readonly McpLink[];
  readonly exchange: ToolExchange;
}

export class ToolBox implements AsyncDisposable {
  readonly #parts: Parts;
  readonly opened: Promise<unknown>;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.opened = Promise.all(parts.links.map(({ opened }) => opened));
  }

  static async open(settings: ToolSettings, options: ToolBoxOptions = {}): Promise<ToolBox> {
    const mask = await createMask(settings.secrets);
    const exchange = new ToolExchange(settings, options);
    const context = { exchange, mask };
    return new ToolBox({
      http: settings.tools.map((tool) => httpTool(tool, context)),
      links: settings.mcpServers.map((server) => new McpLink(server, context, options)),
      exchange,
    });
  }

  get definitions(): readonly ToolDefinition[] {
    return this.#offered().tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
  }

  /** Why the model has fewer tools than its template names. */
  get fault(): ToolFault | undefined {
    const { links } = this.#parts;
    const faults = links.flatMap(({ fault }) => fault ?? []);
    if (faults.includes('tools_unavailable') || !this.#offered().isWhole)
      return 'tools_unavailable';
    return faults[0];
  }

  toolOf(name: string): AgentTool | undefined {
    return this.#offered().tools.find((tool) => tool.name === name);
  }

  refresh(): void {
    for (const link of this.#parts.links) link.refresh();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#parts.links.map(async (link) => {
        await link[Symbol.asyncDispose]();
      }),
    );
    this.#parts.exchange[Symbol.dispose]();
  }

  #offered(): { readonly tools: readonly AgentTool[]; readonly isWhole: boolean } {
    const { http, links } = this.#parts;
    const tools = [...http];
    let left = MAX_DEFINITIONS_BYTES;
    let isWhole = true;
    for (const { tool, sizeBytes } of links.flatMap((link) => link.tools)) {
      left -= sizeBytes;
      if (left >= 0) tools.push(tool);
      else isWhole = false;
    }
    return { tools, isWhole };
  }
}
