const SILENCE_DB = -60;

interface Meter {
  readonly track: MediaStreamTrack;
  readonly source: MediaStreamAudioSourceNode;
  readonly analyser: AnalyserNode;
  readonly samples: Float32Array<ArrayBuffer>;
}

export class AudioLevels {
  readonly #meters = new Map<string, Meter>();
  #context: AudioContext | undefined;

  measure(identity: string, track: MediaStreamTrack): number | undefined {
    const context = this.#runningContext();
    if (!context) return undefined;
    const { analyser, samples } = this.#meterOf(context, identity, track);
    analyser.getFloatTimeDomainData(samples);
    let sum = 0;
    for (const sample of samples) sum += sample * sample;
    const decibels = 10 * Math.log10(sum / samples.length + Number.MIN_VALUE);
    return Math.min(Math.max(1 - decibels / SILENCE_DB, 0), 1);
  }

  keep(identities: readonly string[]): void {
    for (const identity of this.#meters.keys()) {
      if (!identities.includes(identity)) this.#forget(identity);
    }
  }

  async close(): Promise<void> {
    this.keep([]);
    const context = this.#context;
    this.#context = undefined;
    await context?.close();
  }

  #forget(identity: string): void {
    const meter = this.#meters.get(identity);
    meter?.source.disconnect();
    this.#meters.delete(identity);
  }

  #runningContext(): AudioContext | undefined {
    // Before the person has interacted with the page, a context would be suspended, and the browser would log a
    // warning.
    if ('userActivation' in navigator && !navigator.userActivation.hasBeenActive) return undefined;
    this.#context ??= new AudioContext();
    if (this.#context.state === 'running') return this.#context;
    this.#context.resume().catch(() => {
      // The context is already closed.
    });
    return undefined;
  }

  #meterOf(context: AudioContext, identity: string, track: MediaStreamTrack): Meter {
    const known = this.#meters.get(identity);
    if (known?.track === track) return known;
    this.#forget(identity);
    const source = context.createMediaStreamSource(new MediaStream([track]));
    const analyser = context.createAnalyser();
    analyser.fftSize = 1024;
    source.connect(analyser);
    const meter = { track, source, analyser, samples: new Float32Array(analyser.fftSize) };
    this.#meters.set(identity, meter);
    return meter;
  }
}
