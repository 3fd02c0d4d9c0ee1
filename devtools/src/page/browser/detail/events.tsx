import { useEffect, useRef, useState } from 'preact/hooks';
import { type Api, messageOf } from '../api.js';
import { counted } from '../shared/format.js';
import type { Detail, ItemView } from '../types.js';
import { ItemCard } from './item.js';

function noItems({ bodyDropped, events, unread, bytes }: Detail): string {
  if (unread || (bodyDropped && bytes === 0)) return 'The body was not read.';
  if (events === 0) return 'No events could be read from the body.';
  return bodyDropped
    ? `The body with ${counted(events, 'event')} is no longer kept.`
    : `${counted(events, 'event')} could not be decoded.`;
}

interface Props {
  readonly api: Api;
  readonly detail: Detail;
}

/** Number of events shown at first, and added with each click. */
const STEP = 25;

/** The events of a delivery, with a button that loads more from the server. */
export function Events({ api, detail }: Props) {
  const [shown, setShown] = useState(STEP);
  const [further, setFurther] = useState<readonly ItemView[]>([]);
  const [problem, setProblem] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const items = [...detail.items, ...further];

  // Focus the new events, because the button may be gone.
  useEffect(() => {
    if (shown > STEP) (box.current?.children[shown - STEP] as HTMLElement | undefined)?.focus();
  }, [shown, items.length]);

  async function more() {
    setProblem('');
    try {
      if (shown + STEP > items.length && items.length < detail.events) {
        const path = `deliveries/${encodeURIComponent(detail.id)}/items?from=${items.length}`;
        setFurther([...further, ...(await api.get(path)).items]);
      }
      setShown(shown + STEP);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  if (detail.items.length === 0) return <p class="muted">{noItems(detail)}</p>;
  const left = detail.events - Math.min(shown, items.length);
  return (
    <>
      <div class="items" ref={box}>
        {items.slice(0, shown).map((item, index) => (
          <ItemCard key={index} item={item} />
        ))}
      </div>
      {left > 0 && (
        <button type="button" class="quiet" onClick={() => void more()}>
          Show more: {counted(left, 'event')} left
        </button>
      )}
      {problem && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
