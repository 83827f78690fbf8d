// SPDX-License-Identifier: Apache-2.0
// Keeping what is selected in view.
import { useLayoutEffect } from "preact/hooks";

/**
 * Scroll an element into view in the frame that draws the change. Asking where it is makes the browser lay out the
 * page; right before it is painted everything is drawn and the page has to be laid out once anyway.
 */
export function useScrollTo(find: () => Element | null | undefined, when: readonly unknown[]): void {
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => find()?.scrollIntoView({ block: "nearest", inline: "nearest" }));
    return () => cancelAnimationFrame(frame);
  }, [...when]);
}
