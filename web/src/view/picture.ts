// SPDX-License-Identifier: Apache-2.0
// Page pictures, fetched as needed and given back when nobody looks at them any more.
import { useEffect, useState } from "preact/hooks";
import { getPicture } from "../api";

export interface Picture {
  readonly url: string | null;
  readonly problem: string | null;
}

const NONE: Picture = { url: null, problem: null };

/** The picture of a page; while a sharper one is on its way, the one before stays. */
export function usePicture(key: string, page: number, size: number, wanted = true): Picture {
  const [shown, setShown] = useState<Picture & { page: number }>({ ...NONE, page });
  useEffect(() => {
    if (!wanted) return;
    const stop = new AbortController();
    getPicture(key, page, size, stop.signal)
      .then((url) => (stop.signal.aborted ? URL.revokeObjectURL(url) : setShown({ url, problem: null, page })))
      .catch((error: Error) => {
        if (!stop.signal.aborted) setShown({ url: null, problem: error.message, page });
      });
    return () => stop.abort();
  }, [key, page, size, wanted]);
  useEffect(() => {
    const { url } = shown;
    return () => {
      if (url) URL.revokeObjectURL(url);
    };
  }, [shown.url]);
  return shown.page === page ? shown : NONE;
}
