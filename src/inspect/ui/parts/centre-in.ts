/** Where a frame is too narrow for what it holds, what is selected comes to its middle; the page itself is not scrolled. */
export function centreIn(frame: HTMLElement | null, selector: string): void {
  const chosen = frame?.querySelector(selector)?.getBoundingClientRect();
  if (!frame || !chosen) return;
  const { left, width } = frame.getBoundingClientRect();
  frame.scrollLeft += chosen.left + chosen.width / 2 - left - width / 2;
}
