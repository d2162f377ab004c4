/** A tape that ends, with nothing on it: for what is not there. */
export function BlankTape() {
  return (
    <svg aria-hidden="true" viewBox="0 0 320 48" className="w-full max-w-80">
      <rect x="0" y="19" width="120" height="10" rx="5" className="fill-line" />
      <path
        d="M136 24h16m12 0h16m12 0h16m12 0h16"
        className="stroke-line"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <circle cx="276" cy="24" r="20" className="fill-none stroke-line" strokeWidth="2" />
      <circle cx="276" cy="24" r="5" className="fill-none stroke-line" strokeWidth="2" />
    </svg>
  );
}
