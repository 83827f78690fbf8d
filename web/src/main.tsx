// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { claimToken } from "./api";
import { startSettings } from "./state/settings";
import "./styles/base.css";
import "./styles/editor.css";
import "./styles/boxes.css";
import "./styles/work.css";
import { App } from "./view/app";

claimToken();
startSettings();
const root = document.getElementById("app");
if (root) render(<App />, root);
