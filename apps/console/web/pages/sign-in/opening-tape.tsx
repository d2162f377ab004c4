export function OpeningTape() {
  return (
    <svg aria-hidden="true" viewBox="0 0 416 40" className="mb-4 block w-full">
      <defs>
        <pattern
          id="opening-gap"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="6" height="6" className="fill-gap-soft" />
          <rect width="2.5" height="6" className="fill-gap" />
        </pattern>
        <clipPath id="opening-shape">
          <rect y="15" width="416" height="10" rx="5" />
        </clipPath>
      </defs>
      <g clipPath="url(#opening-shape)">
        <rect y="15" width="416" height="10" className="fill-line" />
        <rect y="15" width="212" height="10" className="fill-iris" />
        <rect x="212" y="15" width="36" height="10" fill="url(#opening-gap)" />
        <rect x="248" y="15" width="96" height="10" className="fill-iris" />
      </g>
      <rect x="344" y="15" width="4" height="10" className="fill-tally" />
      <circle cx="346" cy="20" r="12" className="animate-breathe fill-tally/15" />
    </svg>
  );
}
