// Tabs, videos and diagrams in an article. Without this script panels stand below their titles, and videos are links.
import { drawDiagrams } from "./diagrams.js";
import { playVideos } from "./videos.js";
import { followFragments, makeTabs } from "./tabs.js";

makeTabs();
followFragments();
playVideos();
drawDiagrams();
