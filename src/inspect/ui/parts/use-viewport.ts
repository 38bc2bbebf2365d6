import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** An element that scrolls: where it is, and how much of it is seen; in CSS pixels. */
export type ViewportOf = {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly scrollTop: number;
  readonly height: number;
};

/** Follows an element that scrolls; the component is drawn again at most once a frame. */
export function useViewport(): ViewportOf {
  const ref = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ scrollTop: 0, height: 600 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    let frame = 0;
    const measure = (): void => {
      frame = 0;
      const { scrollTop, clientHeight } = element;
      setPlace((before) =>
        before.scrollTop === scrollTop && before.height === clientHeight ? before : { scrollTop, height: clientHeight },
      );
    };
    const soon = (): void => {
      frame ||= requestAnimationFrame(measure);
    };
    element.addEventListener('scroll', soon, { passive: true });
    const sizes = new ResizeObserver(soon);
    sizes.observe(element);
    measure();
    return () => {
      element.removeEventListener('scroll', soon);
      sizes.disconnect();
      cancelAnimationFrame(frame);
    };
  }, []);
  return { ref, ...place };
}
