/** Sound: samples of 16 bits, one channel. */
export interface Pcm {
  /** A whole buffer of its own, never a view of a part: LiveKit's `AudioFrame` sends from the buffer's start. */
  readonly samples: Int16Array<ArrayBuffer>;
  readonly rate: number;
}

/** The sample rate of generated sounds, and of OpenAI's `pcm` format. */
export const PCM_RATE = 24_000;

/** Resonances of vowels: the first two formants, in Hz. */
const VOWELS = [
  [730, 1090],
  [270, 2290],
  [570, 840],
  [440, 1020],
  [530, 1840],
] as const;

/** Returns a sine tone. `amplitude` is at most 1. */
export function tone(frequency: number, ms: number, amplitude = 0.3): Pcm {
  return generate(ms, (second) => amplitude * Math.sin(2 * Math.PI * frequency * second));
}

export function silence(ms: number): Pcm {
  return generate(ms, () => 0);
}

/** Returns white noise, the same one each time. 300 ms of it are a cough. */
export function noise(ms: number, amplitude = 0.3): Pcm {
  const random = seededRandom();
  return generate(ms, () => amplitude * random());
}

/**
 * Returns syllables without words: a buzz of 110 to 140 Hz with the resonances of changing vowels. LiveKit's voice activity
 * detection takes this for speech, unlike tones and noise.
 */
export function speech(ms: number): Pcm {
  const syllableSeconds = 0.22;
  const random = seededRandom();
  let filters: Filter[] = [];
  let vowel = -1;
  let phase = 0;
  return generate(ms, (second) => {
    const syllable = Math.floor(second / syllableSeconds);
    if (syllable !== vowel) {
      vowel = syllable;
      const [first, next] = VOWELS[syllable % VOWELS.length] ?? VOWELS[0];
      filters = [resonance(first, 80), resonance(next, 110), resonance(2600, 160)];
    }
    const position = second / syllableSeconds - syllable;
    const pitch = 125 + 15 * Math.sin(2 * Math.PI * 1.3 * second);
    phase = (phase + pitch / PCM_RATE) % 1;
    // A falling saw tooth is close to what vocal cords make; a little breath keeps it from being periodic.
    const source = 1 - 2 * phase + 0.1 * random();
    const loudness = Math.sin(Math.PI * Math.min(1, position * 1.15)) ** 0.5;
    return 0.9 * loudness * filters.reduce((sum, filter) => sum + filter(source), 0);
  });
}

/** Returns `sounds` one after another. Throws a RangeError if their sample rates differ. */
export function joinSounds(...sounds: readonly Pcm[]): Pcm {
  const rate = sounds[0]?.rate ?? PCM_RATE;
  if (sounds.some((sound) => sound.rate !== rate)) throw new RangeError('sample rates differ');
  const samples = new Int16Array(sounds.reduce((sum, sound) => sum + sound.samples.length, 0));
  let offset = 0;
  for (const sound of sounds) {
    samples.set(sound.samples, offset);
    offset += sound.samples.length;
  }
  return { samples, rate };
}

/** Returns how long the sound is, in milliseconds. */
export function durationMs({ samples, rate }: Pcm): number {
  return (samples.length / rate) * 1000;
}

function generate(ms: number, value: (second: number) => number): Pcm {
  const samples = new Int16Array(Math.round((ms * PCM_RATE) / 1000));
  for (const index of samples.keys()) {
    samples[index] = Math.round(32_767 * Math.max(-1, Math.min(1, value(index / PCM_RATE))));
  }
  return { samples, rate: PCM_RATE };
}

/** Returns a function that returns numbers from -1 to 1, the same ones in the same order each time. */
function seededRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return (2 * state) / 2_147_483_647 - 1;
  };
}

type Filter = (input: number) => number;

/** Returns a filter that resonates at `frequency`, with that bandwidth, both in Hz. */
function resonance(frequency: number, bandwidth: number): Filter {
  const radius = Math.exp((-Math.PI * bandwidth) / PCM_RATE);
  const feedback = 2 * radius * Math.cos((2 * Math.PI * frequency) / PCM_RATE);
  const gain = (1 - radius) * 0.6;
  let [last, beforeLast] = [0, 0];
  return (input) => {
    const output = gain * input + feedback * last - radius * radius * beforeLast;
    [last, beforeLast] = [output, last];
    return output;
  };
}
