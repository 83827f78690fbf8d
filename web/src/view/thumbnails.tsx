// SPDX-License-Identifier: Apache-2.0
// All pages at the side, with what is on them; pictures come when they scroll into view.
import type { JSX } from "preact";
import { memo } from "preact/compat";
import { useEffect, useRef, useState } from "preact/hooks";
import { countPage } from "../model/counts";
import type { Doc } from "../model/field";
import type { Editor } from "../state/editor";
import { useStore } from "../state/store";
import { usePicture } from "./picture";

const THUMBNAIL = 220;

export function Thumbnails({ editor }: { editor: Editor }): JSX.Element {
  const doc = useStore(editor, (state) => state.history.present);
  const page = useStore(editor, (state) => state.page);
  return (
    <nav class="thumbnails" aria-label="Pages">
      <ol>
        {editor.sizes.map((_, index) => (
          <Thumbnail
            key={index}
            editor={editor}
            index={index}
            current={index === page}
            fields={doc.pages[index] ?? []}
            thresholds={doc.thresholds}
          />
        ))}
      </ol>
    </nav>
  );
}

interface ThumbnailProps {
  readonly editor: Editor;
  readonly index: number;
  readonly current: boolean;
  readonly fields: Doc["pages"][number];
  readonly thresholds: Doc["thresholds"];
}

const Thumbnail = memo(function Thumbnail({ editor, index, current, fields, thresholds }: ThumbnailProps): JSX.Element {
  const item = useRef<HTMLLIElement>(null);
  const near = useNear(item);
  const picture = usePicture(editor.key, index, THUMBNAIL, near);
  const count = countPage({ pages: [fields], thresholds }, 0, editor.calibrated);
  const size = editor.sizes[index] ?? editor.size;
  useEffect(() => {
    if (current) item.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <li ref={item}>
      <button type="button" aria-current={current ? "page" : undefined} onClick={() => editor.goTo(index)}>
        <span class="paper" style={{ aspectRatio: `${size.width} / ${size.height}` }}>
          {picture.url && <img src={picture.url} alt="" />}
        </span>
        <span class="caption">
          <b>
            <Aloud text="Page" />
            {index + 1}
          </b>
          <span class="muted">
            {count.fields}
            <Aloud text="fields" />
          </span>
          {count.uncertain > 0 && (
            <span class="badge">
              {count.uncertain}
              <Aloud text="to check" />
            </span>
          )}
        </span>
      </button>
    </li>
  );
});

function Aloud({ text }: { text: string }): JSX.Element {
  return <span class="hidden"> {text} </span>;
}

/** True once the element is near the visible part of its list. */
function useNear(item: { readonly current: Element | null }): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = item.current;
    if (!element) return;
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) {
          setNear(true);
          watch.disconnect();
        }
      },
      { rootMargin: "300px" },
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return near;
}
