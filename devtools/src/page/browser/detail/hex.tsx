import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const ROW_HEIGHT = 18;
/** Extra rows above and below the visible ones. */
const EXTRA = 6;

const hex = (byte: number) => byte.toString(16).padStart(2, '0');
const ascii = (byte: number) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·');

/** One line of a dump: offset, bytes, and their ASCII characters. */
function hexLine(bytes: Uint8Array, offset: number, width: number): string {
  const part = bytes.subarray(offset, offset + width);
  const cells = Array.from(part, (byte, index) => (index === width / 2 ? ` ${hex(byte)}` : hex(byte))).join(' ');
  return `${offset.toString(16).padStart(8, '0')}  ${cells.padEnd(width * 3)}  ${Array.from(part, ascii).join('')}`;
}

/** A dump of any length: only visible lines are rendered. */
export function HexDump({ bytes, label }: { bytes: Uint8Array; label: string }) {
  const box = useRef<HTMLElement>(null);
  const [{ top, height, width }, setView] = useState({ top: 0, height: 360, width: 16 });
  const look = () => {
    const { scrollTop, clientHeight, clientWidth } = box.current as HTMLElement;
    setView({ top: scrollTop, height: clientHeight, width: clientWidth < 560 ? 8 : 16 });
  };
  useLayoutEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(box.current as HTMLElement);
    return () => watch.disconnect();
  }, []);
  const count = Math.ceil(bytes.length / width);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - EXTRA);
  const last = Math.min(count, Math.ceil((top + height) / ROW_HEIGHT) + EXTRA);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    <section
      ref={box}
      class={count < 18 ? 'dump mono short' : 'dump mono'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
      tabIndex={0}
      aria-label={label}
      onScroll={look}
    >
      <div class="canvas" style={{ height: `${count * ROW_HEIGHT}px` }}>
        {rows.map((row) => (
          <div key={row} class="hex-row" style={{ transform: `translateY(${row * ROW_HEIGHT}px)` }}>
            {hexLine(bytes, row * width, width)}
          </div>
        ))}
      </div>
    </section>
  );
}
